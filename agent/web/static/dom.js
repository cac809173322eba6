// Elements from plain values. Text always becomes text nodes: nothing that a statute or a model says is read as HTML.

/**
 * Return an element. Attributes: functions become listeners of the event that the name says (`click`), true an empty
 * attribute; false, null and undefined are left out. Children: nodes, strings, and arrays of them; null is left out.
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);
