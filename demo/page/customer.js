// The customer's page: sent and received mails, polled every second.
const list = document.querySelector('#mails');
const template = document.querySelector('#mail');
const trouble = document.querySelector('#trouble');
const writing = document.querySelector('#write');
/** Articles by mail id. They stay in the page, so that a half-written reply survives a refresh. */
const shown = new Map();

async function send(mail) {
  const answer = await fetch('/mails', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(mail),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

function onSubmit(form, mailOf) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await send(mailOf(new FormData(form)));
      form.reset();
      await refresh();
    } catch (error) {
      tell(error);
    }
  });
}

function show(mail) {
  const article = template.content.cloneNode(true).querySelector('article');
  article.className = mail.kind;
  article.querySelector('h2').textContent = mail.subject;
  article.querySelector('.text').textContent = mail.text;
  if (mail.kind === 'received') {
    const form = article.querySelector('.reply');
    form.hidden = false;
    onSubmit(form, (fields) => ({ receivedId: mail.id, subject: mail.subject, text: fields.get('text') }));
  }
  list.append(article);
  return article;
}

function describe({ kind, mailbox, at, files, ticket }) {
  const time = new Date(at).toLocaleTimeString();
  const way = kind === 'written' ? `to ${mailbox}` : `from ${mailbox}`;
  const attached = files.length > 0 ? `, with ${files.join(', ')}` : '';
  const place = ticket === undefined ? 'no ticket yet' : `ticket ${ticket.number}`;
  return `${time}, ${way}${attached}: ${place}`;
}

function update(article, mail) {
  article.querySelector('.meta').textContent = describe(mail);
  if (mail.kind !== 'written' || mail.ticket === undefined) return;
  article.querySelector('.answer').hidden = false;
  const line = article.querySelector('.line');
  if (line.textContent === '') line.textContent = mail.ticket.answerWith;
}

function begin({ customer, mailboxes }) {
  document.querySelector('#customer').textContent = customer.name;
  const to = writing.elements.namedItem('to');
  if (to.options.length > 0) return;
  for (const { address, at } of mailboxes) to.append(new Option(`${address} (${at})`, address));
}

function tell(error) {
  trouble.hidden = false;
  trouble.textContent = `That did not work: ${error.message}`;
}

async function refresh() {
  const answer = await fetch('/mails');
  if (!answer.ok) throw new Error(await answer.text());
  const state = await answer.json();
  begin(state);
  for (const mail of state.mails) {
    if (!shown.has(mail.id)) shown.set(mail.id, show(mail));
    update(shown.get(mail.id), mail);
  }
  trouble.hidden = true;
}

async function follow() {
  await refresh().catch(tell);
  setTimeout(follow, 1000);
}

onSubmit(writing, (fields) => Object.fromEntries(fields));
await follow();
