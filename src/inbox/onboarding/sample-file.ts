const consoleLog = `[11:02:14] POST /checkout/pay 502 (Bad Gateway)
[11:02:14] Uncaught (in promise) Error: payment provider did not answer within 10 s
[11:04:51] POST /checkout/pay 502 (Bad Gateway)
[11:07:33] POST /checkout/pay 502 (Bad Gateway)
`;

export const sampleFile = { fileName: 'browser-log.txt', contentType: 'text/plain', content: Buffer.from(consoleLog) };
