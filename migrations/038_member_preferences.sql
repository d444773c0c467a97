-- How a person wants the inbox to look and behave, in all their workspaces. What is missing is as it is for everybody.
alter table users add column preferences jsonb not null default '{}';
-- Put below what the member writes here; sanitised HTML.
alter table members add column signature_html text;
