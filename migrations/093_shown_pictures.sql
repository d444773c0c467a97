-- A file counted as inside the text of a mail if the HTML named it anywhere by `cid:`. Now it counts only if it is a
-- picture that the kept HTML shows. Every other file is in the list of files.
update attachments a set is_inline = false
from messages m
where m.workspace_id = a.workspace_id and m.id = a.message_id and a.is_inline and m.direction = 'inbound'
  and (
    a.content_type !~ '^image/(apng|avif|bmp|gif|jpeg|jpg|pjpeg|png|svg\+xml|webp|x-icon|x-ms-bmp|x-png)$'
    or strpos(
      coalesce(m.body_html, ''),
      'cid:' || replace(replace(replace(replace(a.content_id, '&', '&amp;'), '"', '&quot;'), '<', '&lt;'), '>', '&gt;') || '"'
    ) = 0
  );

-- Their tickets count files anew.
update tickets t set summary_version = null
where exists (
  select from attachments a
  where a.workspace_id = t.workspace_id and a.ticket_id = t.id and a.content_id is not null and not a.is_inline
);
