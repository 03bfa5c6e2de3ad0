"""Units of compiled code for one walker, whatever they are written as, and what is made of them."""
