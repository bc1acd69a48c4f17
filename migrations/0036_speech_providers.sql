alter table providers
  drop constraint providers_kind_known,
  add constraint providers_kind_known check (kind in ('openai_compatible', 'anthropic', 'elevenlabs', 'deepgram')),
  alter column default_model drop not null,
  add column embedding_model text collate "C",
  add constraint providers_speech_not_default check (not is_default or kind in ('openai_compatible', 'anthropic'));
