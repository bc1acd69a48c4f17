import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '../../../server/workspaces/schema.ts'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { useApi } from '../kit/api.ts'
import { Card, Stack, useTitle } from '../kit/Page.tsx'
import { useIsOwner, useIsTest, useMembership } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { roleDescription, roleLabel } from '../people/roles.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import styles from './settings.module.css'
import { WorkspaceForm } from './WorkspaceForm.tsx'

export function WorkspacePage() {
  useTitle('Workspace')
  const api = useApi()
  const is_owner = useIsOwner()
  const is_test = useIsTest()
  const { name = '', role = 'viewer' } = useMembership() ?? {}
  return (
    <div className={styles.narrow}>
      <Stack>
        {is_owner ? (
          <WorkspaceSettings key={api.workspace} />
        ) : (
          <Card title="General" aside={is_test && <TestBadge />}>
            <div className={styles.form}>
              <TextInput label="Name" readOnly description="Only owners can change this." value={name} />
            </div>
          </Card>
        )}
        <Card title="About">
          <div className={styles.form}>
            <TextInput label="Workspace ID" value={api.workspace} readOnly />
            <TextInput label="Your role" description={roleDescription(role)} value={roleLabel(role)} readOnly />
          </div>
        </Card>
        <LeaveWorkspace />
      </Stack>
    </div>
  )
}

function WorkspaceSettings() {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'workspace'],
    queryFn: ({ signal }) => api.get<Workspace>('/workspace', {}, signal),
  })
  if (error && !data) return <LoadError error={error} retry={refetch} />
  return data ? <WorkspaceForm workspace={data} /> : <LoadingSkeleton lines={5} />
}
