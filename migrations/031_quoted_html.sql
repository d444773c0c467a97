-- Offsets (UTF-16 code units) into body_html between which it quotes another mail, in pairs; null: nothing to fold.
alter table messages add column quoted_html_ranges integer[];
