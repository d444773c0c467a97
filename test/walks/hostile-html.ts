import { randomOf } from '../harness/random.ts';

/** Random mixtures of attacks on mail readers, the same for the same seed. */
export function hostileHtml(seed: number): string {
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T; // The list is never empty.
  const parts = Array.from({ length: 2 + Math.floor(random() * 6) }, () => {
    const piece = pick(pieces);
    const wrap = pick(wraps);
    return wrap(garble(piece, random, pick));
  });
  return parts.join(pick(['', ' ', '\n', '<p>words</p>', '<!-- -->', '</div>', '<table><tr><td>']));
}

const run = 'parent.ran=1;top.ran=1;self.ran=1';
const away = 'https://away.example/x';

/** Unguarded, each piece would run code, load something, or leave its place. */
const pieces: readonly string[] = [
  `<script>${run}</script>`,
  `<script src="${away}.js"></script>`,
  `<img src=x onerror="${run}">`,
  `<img src="${away}.gif"><img srcset="${away} 1x"><image href="${away}">`,
  `<svg onload="${run}"><a xlink:href="javascript:${run}"><text>go</text></a><use href="${away}#x"/></svg>`,
  `<svg><style><img src=x onerror="${run}"></style></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}"></style></mglyph></table></mtext></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror="${run}">`,
  `<noscript><p title="</noscript><img src=x onerror='${run}'>"></noscript>`,
  `<template><img src=x onerror="${run}"></template>`,
  `<a href="javascript:${run}" id="go">go</a>`,
  `<a href="java&#9;script:${run}">go</a><a href=" &#14; javascript:${run}">go</a>`,
  `<a href="data:text/html,<script>${run}</script>" target="_top">go</a>`,
  `<iframe src="javascript:${run}"></iframe><iframe srcdoc="<script>${run}</script>"></iframe>`,
  `<object data="${away}"></object><embed src="${away}"><applet code="${away}"></applet>`,
  `<meta http-equiv="refresh" content="0;url=${away}"><base href="${away}" target="_top">`,
  `<link rel="stylesheet" href="${away}.css"><style>@import "${away}.css";body{background:url(${away})}</style>`,
  `<form action="${away}"><input name="password" autofocus onfocus="${run}">` +
    `<button formaction="javascript:${run}">go</button></form>`,
  `<video src="${away}" poster="${away}" onloadstart="${run}"></video><audio src="${away}" autoplay></audio>`,
  `<body onload="${run}" background="${away}"><td background="${away}">`,
  `<div style="background:url(${away});position:fixed;inset:0;z-index:99999">over</div>`,
  `<div style="width:9000px;height:9000px;margin:-4000px;background:red">over</div>`,
  `<div style="line-height:0;height:1px;direction:rtl"><a href="${away}" style="font-size:1500px">█████████</a></div>`,
  `<div style="height:0"><a href="${away}"><div style="height:5000px">over</div></a></div>`,
  `<a href="${away}" style="float:left;width:3000px;height:3000px;letter-spacing:-9px">over</a>`,
  `<div style="display:flex;height:0;transform:translate(-900px,-900px) scale(99)">over</div>`,
  `<p style="animation:x 1s;behavior:url(${away});-moz-binding:url(${away});width:expression(${run})">x</p>`,
  `<details open ontoggle="${run}"><summary>more</summary></details><marquee onstart="${run}">x</marquee>`,
  `<input type="image" src="${away}" onerror="${run}"><isindex action="javascript:${run}">`,
  '<p id="root" name="body" class="mention" data-user="x">clobbers</p>' +
    '<form id="document" name="getElementById"></form>',
  `<xmp><img src=x onerror="${run}"></xmp><plaintext><img src=x onerror="${run}">`,
  `<textarea></textarea><img src=x onerror="${run}">` +
    `<select><option><style></select><img src=x onerror="${run}"></style>`,
];

const wraps: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `<div>${inner}</div>`,
  (inner) => `<table><caption>${inner}</caption>`,
  (inner) => `<svg><foreignObject>${inner}</foreignObject></svg>`,
  (inner) => `<math><annotation-xml encoding="text/html">${inner}</annotation-xml></math>`,
  (inner) => `<blockquote class="gmail_quote"><p>${inner}`,
  (inner) => `<!--[if mso]>${inner}<![endif]-->${inner}`,
  (inner) => `<p title="${inner.replaceAll('"', '&quot;')}">x</p>${inner}`,
  (inner) => `<a href="https://example.org/"><b>${inner}</a></b>`,
];

/** Spellings that parsers read differently. */
function garble(piece: string, random: () => number, pick: <T>(from: readonly T[]) => T): string {
  if (random() < 0.5) return piece;
  const change = pick([
    (text: string) => text.replaceAll(/<(\w)/g, (_, letter: string) => `<${letter.toUpperCase()}`),
    (text: string) => text.replace(/ on/g, '/on'),
    (text: string) => text.replaceAll('"', "'"),
    (text: string) => text.replaceAll('"', '`'),
    (text: string) => text.replace(/=/g, ' = '),
    (text: string) => text.replace('javascript', 'java\u0000script'),
    (text: string) => text.replace(/<\/\w+>$/, ''),
    (text: string) => text.replace('>', '\f>'),
    (text: string) => text.replaceAll('script:', '&#115;cript&colon;'),
    (text: string) => `<<${text}`,
  ]);
  return change(piece);
}
