import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member, Role } from '../../../server/people/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { MoreIcon } from '../kit/icons.tsx'
import { Stack, useTitle } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { createClient } from '../kit/request.ts'
import { Status } from '../kit/Status.tsx'
import { session_query, useSession } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showError } from '../kit/toast.ts'
import { membersQuery } from '../people/members.ts'
import { roleLabel, roles } from '../people/roles.ts'
import { Invitations } from './Invitations.tsx'
import { PasswordLinkDialog } from './PasswordLinkDialog.tsx'
import styles from './settings.module.css'

export function MembersPage() {
  useTitle('Members')
  const workspace = useWorkspaceId()
  const { data, error, refetch } = useQuery(membersQuery(workspace))
  return (
    <Stack>
      {error && !data ? (
        <LoadError error={error} retry={refetch} />
      ) : (
        <Table label="Members" columns={columns} rows={data?.data} getRowId={({ person_id }) => person_id} />
      )}
      <Invitations />
    </Stack>
  )
}

const columns: Column<Member>[] = [
  {
    id: 'name',
    name: 'Name',
    cell: (original) => (
      <div className={styles.keyName}>
        <strong>{original.name}</strong>
        <span>{original.email}</span>
      </div>
    ),
  },
  {
    id: 'role',
    name: 'Role',
    cell: (row) => roleLabel(row.role),
  },
  {
    id: 'has_two_factor',
    name: 'Two-factor sign-in',
    is_hidden_on_phone: true,
    cell: (row) => (
      <Status tone={row.has_two_factor ? 'success' : 'neutral'}>{row.has_two_factor ? 'On' : 'Off'}</Status>
    ),
  },
  {
    id: 'created_at',
    name: 'Joined',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
  {
    id: 'more',
    name: 'Actions',
    is_name_hidden: true,
    width: '40px',
    cell: (row) => <MemberMenu member={row} />,
  },
]

function MemberMenu({ member }: { member: Member }) {
  const workspace = useWorkspaceId()
  const { person } = useSession()
  const client = useQueryClient()
  const [is_confirming, setConfirming] = useState(false)
  const [is_linking, setLinking] = useState(false)
  const path = `/app/members/${member.person_id}`
  const refresh = async () => {
    await client.invalidateQueries(membersQuery(workspace))
    await client.invalidateQueries(session_query)
  }
  const changing = useMutation({
    mutationFn: (role: Role) => createClient(workspace).send('PATCH', path, { role }),
    onError: showError,
    onSuccess: refresh,
  })
  if (member.person_id === person.id) return null
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name}`}>
            <MoreIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Change role</Menu.Label>
          {roles
            .filter(({ value }) => value !== member.role)
            .map(({ value, label, description }) => (
              <Menu.Item key={value} onClick={() => changing.mutate(value)}>
                Make {label.toLowerCase()}
                <span className={styles.choiceDescription}>{description}</span>
              </Menu.Item>
            ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setLinking(true)}>Create password link</Menu.Item>
          <Menu.Item color="red" onClick={() => setConfirming(true)}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <PasswordLinkDialog member={member} is_open={is_linking} onClose={() => setLinking(false)} />
      <ConfirmDialog
        is_open={is_confirming}
        title={`Remove ${member.name}?`}
        confirm_label="Remove member"
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await createClient(workspace).send('DELETE', path)
          await refresh()
        }}
      >
        {member.email} loses access to this workspace.
      </ConfirmDialog>
    </>
  )
}
