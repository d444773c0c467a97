/** The properties of a mail's own colours. */
const properties = [
  'color',
  'background-color',
  'border-top-color',
  'border-right-color',
  'border-bottom-color',
  'border-left-color',
];

/**
 * Gives each colour that a mail sets a twin for the dark theme: as light as the colour is dark, and of the same hue.
 * Pictures stay as they are, which a filter over the whole mail could not do.
 */
export function darken(inside: Document): void {
  for (const element of inside.body.querySelectorAll<HTMLElement>('[style], [bgcolor], [color]')) {
    const { style } = element;
    const background = element.getAttribute('bgcolor');
    if (background !== null && style.backgroundColor === '') style.backgroundColor = background;
    const colour = element.getAttribute('color');
    if (colour !== null && style.color === '') style.color = colour;
    for (const property of properties) {
      const own = style.getPropertyValue(property);
      if (own === '' || /^(inherit|initial|unset|revert|currentcolor|transparent|light-dark)/i.test(own)) continue;
      style.setProperty(property, `light-dark(${own}, oklch(from ${own} calc(0.93 - 0.71 * l) c h))`);
    }
  }
}
