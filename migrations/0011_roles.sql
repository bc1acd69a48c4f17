-- Viewers read contacts, agents and events, and change nothing.
alter table memberships drop constraint memberships_role_known;
alter table memberships add constraint memberships_role_known check (role in ('owner', 'member', 'viewer'));
alter table invitations drop constraint invitations_role_known;
alter table invitations add constraint invitations_role_known check (role in ('owner', 'member', 'viewer'));
