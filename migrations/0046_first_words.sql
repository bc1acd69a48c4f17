-- When the contact first said something, for the time until the first answer. Null for conversations from before this column.
alter table conversations add column first_asked_at timestamptz(3);
