-- Which transactions may not record their changes is known by locks on the workspace's row, not by transaction ids: these
-- belong to one node.
alter table contact_search_tallies drop column noted_from;
