-- Tags with a colour, each as {"tag", "colour"}. Few, and read with the workspace.
alter table workspaces add column tag_colours jsonb not null default '[]';
