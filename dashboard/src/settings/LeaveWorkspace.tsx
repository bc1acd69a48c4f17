import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWorkspaceId } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Card } from '../kit/Page.tsx'
import { createClient } from '../kit/request.ts'
import { session_query, useSession } from '../kit/session.ts'

export function LeaveWorkspace() {
  const workspace = useWorkspaceId()
  const { person } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [is_confirming, setConfirming] = useState(false)
  const leave = async () => {
    await createClient(workspace).send('DELETE', `/app/members/${person.id}`)
    // The workspace leaves the session at once, or the page would send more requests, and the start page would redirect
    // to it.
    client.setQueryData(
      session_query.queryKey,
      (session) => session && { ...session, workspaces: session.workspaces.filter(({ id }) => id !== workspace) },
    )
    await navigate({ to: '/' })
  }
  return (
    <Card title="Leave workspace">
      <Text c="dimmed" mb="md">
        You lose access until someone invites you again. The last owner can’t leave.
      </Text>
      <Button variant="default" onClick={() => setConfirming(true)}>
        Leave workspace
      </Button>
      <ConfirmDialog
        is_open={is_confirming}
        title="Leave this workspace?"
        confirm_label="Leave workspace"
        onClose={() => setConfirming(false)}
        onConfirm={leave}
      >
        You’ll need a new invitation to come back.
      </ConfirmDialog>
    </Card>
  )
}
