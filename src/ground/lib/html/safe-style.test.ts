import { describe, expect, test } from 'vitest';
import { safeStyle } from './safe-style.ts';

describe('a style', () => {
  test.each([
    ['td', 'font-size:14px;line-height:20px;color:#333333'],
    ['p', 'margin:0 0 16px;line-height:1.5'],
    ['p', 'line-height:20px'],
    ['span', 'font-size:40px;line-height:48px'],
    ['a', 'display:inline-block;padding:12px 24px;border-radius:4px;border:1px solid #0000ff;white-space:nowrap'],
    ['table', 'width:100%;max-width:600px;border-collapse:collapse'],
    ['td', 'height:20px'],
    ['img', 'width:100%;height:auto;max-height:200px;display:block;float:left'],
    ['div', 'font:bold 14px Arial, sans-serif'],
    ['div', 'color:rgb(255, 0, 0);background-color:hsl(10, 20%, 30%)'],
    ['p', "font-family:'Segoe UI',sans-serif;font-weight:700"],
  ])('of ordinary mail stays unchanged on %s: %s', (tagName, style) => {
    expect(safeStyle(tagName, style)).toBe(style);
  });

  test.each([
    ['div', 'height:20px', 'min-height:20px'],
    ['div', 'max-height:0;color:red', 'color:red'],
    ['div', 'display:flex;color:red', 'color:red'],
    ['div', 'color:red;background:u\\72l(//a.example)', ''],
    ['div', 'color:red/*;*/', ''],
    ['td', 'display:block;color:red', 'color:red'],
    ['span', 'font-size:1500px', ''],
    ['span', 'font-size:2em', 'font-size:32px;line-height:normal'],
    ['span', 'font-size:30px', 'font-size:30px;line-height:normal'],
    ['span', 'font-size:30px;line-height:12px', 'font-size:30px;line-height:normal'],
    ['div', 'line-height:0', ''],
    ['div', 'line-height:0.5', ''],
    ['div', 'line-height:1px', ''],
    ['span', 'letter-spacing:-0.5px', ''],
    ['div', 'width:200vw', ''],
    ['div', 'width:99999px', ''],
    ['div', 'margin:0 -5px', ''],
    ['div', 'border-top:5000px solid red', ''],
  ])('that could make text overflow is bounded on %s: %s', (tagName, style, bounded) => {
    expect(safeStyle(tagName, style)).toBe(bounded);
    expect(safeStyle(tagName, bounded)).toBe(bounded);
  });

  test.each([
    `font-size:${'0'.repeat(4_900)}`,
    `line-height:${'1'.repeat(4_900)}b`,
    `margin:a${' '.repeat(4_900)}b`,
    `font:${'1.'.repeat(2_400)}px`,
    `width:${'- '.repeat(2_400)}1`,
    `color:${'hsl('.repeat(1_200)}`,
    `${'line-height:1b;'.repeat(330)}`,
  ])('of 5 KB is read a thousand times without a standstill: %.20s', (style) => {
    const begin = process.cpuUsage();
    for (let time = 0; time < 1_000; time++) safeStyle('p', style);
    const { user } = process.cpuUsage(begin);
    // The slow reading took 30 s for one of these.
    expect(user / 1e6).toBeLessThan(10);
  });
});
