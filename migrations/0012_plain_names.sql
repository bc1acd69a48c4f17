-- Imports say on_conflict, undo_skipped and canceled, as their clients do.
alter table imports rename column on_known to on_conflict;
alter table imports rename constraint imports_on_known_known to imports_on_conflict_known;
alter table imports rename column not_undone to undo_skipped;
alter table imports drop constraint imports_status_known;
update imports set status = 'canceled' where status = 'cancelled';
alter table imports add constraint imports_status_known
  check (status in ('queued', 'running', 'finished', 'canceled', 'failed', 'undoing', 'undone'));

-- Totals for searches of one or two characters.
alter table contact_gram_tallies rename to contact_search_tallies;
alter table contact_search_tallies rename constraint contact_gram_tallies_pkey to contact_search_tallies_pkey;
alter table contact_grams rename to contact_search_totals;
alter table contact_search_totals rename column gram to term;
alter table contact_search_totals rename constraint contact_grams_pkey to contact_search_totals_pkey;
