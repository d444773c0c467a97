/** The content policy of every frame that shows mail. It runs no scripts and loads nothing from other hosts. */
export const mailPolicy = [
  "default-src 'none'",
  "img-src 'self' data:",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');
