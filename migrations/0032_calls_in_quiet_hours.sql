-- Whether the call is dialled within the quiet hours of the workspace only, as a promised callback is.
alter table calls add column keeps_quiet_hours boolean not null default false;
