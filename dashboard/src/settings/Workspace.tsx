import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../kit/api.ts'
import { Card, Stack, useTitle } from '../kit/Page.tsx'
import { faultsOf } from '../kit/problems.ts'
import { request } from '../kit/request.ts'
import { session_query, useIsOwner, useMembership } from '../kit/session.ts'
import { Refusal } from '../kit/states.tsx'
import { tell } from '../kit/toast.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import styles from './settings.module.css'

export function Workspace() {
  useTitle('Workspace')
  const workspace = useWorkspaceId()
  const client = useQueryClient()
  const is_owner = useIsOwner()
  const form = useForm({ initialValues: { name: useMembership()?.name ?? '' } })
  const renaming = useMutation({
    mutationFn: (body: { name: string }) => request('/app/workspace', { method: 'PATCH', body, workspace }),
    onError: (error) => form.setErrors(faultsOf(error, ['name']).at),
    onSuccess: async () => {
      await client.invalidateQueries(session_query)
      tell('Workspace renamed.')
    },
  })
  return (
    <Stack>
      <Card title="Workspace">
        <form className={styles.form} onSubmit={form.onSubmit((values) => renaming.mutate(values))}>
          {renaming.error && <Refusal>{faultsOf(renaming.error, ['name']).rest}</Refusal>}
          <TextInput
            label="Name"
            required
            readOnly={!is_owner}
            description={is_owner ? undefined : 'Only owners can change it.'}
            {...form.getInputProps('name')}
          />
          <TextInput label="Id" value={workspace} readOnly />
          {is_owner && (
            <Button type="submit" loading={renaming.isPending} className={styles.submit}>
              Save
            </Button>
          )}
        </form>
      </Card>
      <LeaveWorkspace />
    </Stack>
  )
}
