-- PostgreSQL knows no row of a workspace that its statistics lack, and then takes each index for as quick as the next:
-- 9,000 messages of a new workspace beside 100,000 others took 3 s to search, or over 12 s with an excluded word; known,
-- 60 ms. By default the statistics wait until a tenth of all rows has changed.
alter table tickets set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 0.002);
alter table messages set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 0.002);
alter table message_words set (autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 0.002);
