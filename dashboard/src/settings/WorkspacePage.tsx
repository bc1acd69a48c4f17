import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { Card, Stack, useTitle } from '../kit/Page.tsx'
import { session_query, useIsOwner, useIsTest, useMembership } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { roleDescription, roleLabel } from '../people/roles.ts'
import { LeaveWorkspace } from './LeaveWorkspace.tsx'
import styles from './settings.module.css'

export function WorkspacePage() {
  useTitle('Workspace')
  const api = useApi()
  const client = useQueryClient()
  const is_owner = useIsOwner()
  const { name = '', role = 'viewer' } = useMembership() ?? {}
  const form = useForm({ initialValues: { name } })
  const renaming = useMutation({
    mutationFn: (body: { name: string }) => api.send('PATCH', '/workspace', body),
    onError: (error) => form.setErrors(formErrors(error, ['name']).fields),
    onSuccess: async () => {
      await client.invalidateQueries(session_query)
      showToast('Workspace renamed.')
    },
  })
  return (
    <Stack>
      <Card title="Workspace" aside={useIsTest() && <TestBadge />}>
        <form className={styles.form} onSubmit={form.onSubmit((values) => renaming.mutate(values))}>
          {renaming.error && <ErrorAlert>{formErrors(renaming.error, ['name']).message}</ErrorAlert>}
          <TextInput
            label="Name"
            required={is_owner}
            readOnly={!is_owner}
            description={is_owner ? undefined : 'Only owners can change this.'}
            {...form.getInputProps('name')}
          />
          <TextInput label="Workspace ID" value={api.workspace} readOnly />
          <TextInput label="Your role" description={roleDescription(role)} value={roleLabel(role)} readOnly />
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
