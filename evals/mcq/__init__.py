"""Multiple choice under full and partial contexts: does a system answer when it can, and keep silent when it cannot?"""
