const lengths = ['px', 'em', 'rem', 'ch', 'ex', 'pt'];

/** Colours, type, spaces, radii, shadows and durations come from `web/src/styles/tokens.css`; see docs/house.md. */
const tokensOnly = {
  'color-no-hex': true,
  'color-named': 'never',
  'function-disallowed-list': [/^(rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)a?$/],
  'declaration-property-unit-disallowed-list': {
    '/^(margin|padding|gap|row-gap|column-gap|scroll-margin|scroll-padding)/': lengths,
    '/^(font|line-height$|letter-spacing$)/': lengths,
    '/radius$/': [...lengths, '%'],
    '/shadow$/': lengths,
    '/^(animation|transition)/': ['s', 'ms'],
  },
  'declaration-property-value-disallowed-list': { '/^(font-weight)$/': [/^(bold|[5-9]00)$/] },
};

export default {
  reportDescriptionlessDisables: true,
  reportNeedlessDisables: true,
  reportUnscopedDisables: true,
  rules: tokensOnly,
  overrides: [
    {
      // The tokens themselves; and documents of their own, where the tokens do not reach: a mail's frame, and paper.
      files: ['web/src/styles/tokens.css', 'web/src/styles/mail.css', 'web/src/styles/print.css'],
      rules: Object.fromEntries(Object.keys(tokensOnly).map((rule) => [rule, null])),
    },
  ],
};
