-- The passages of documents that a turn of the agent is based on, as `[{document_id, passage_id, title}]`. Null if there are none.
alter table conversation_turns add column citations jsonb;
