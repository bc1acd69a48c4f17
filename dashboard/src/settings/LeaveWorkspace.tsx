import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWorkspaceId } from '../kit/api.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { Card } from '../kit/Page.tsx'
import { request } from '../kit/request.ts'
import { session_query, useSession } from '../kit/session.ts'

export function LeaveWorkspace() {
  const workspace = useWorkspaceId()
  const { person } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [is_asking, setAsking] = useState(false)
  const leave = async () => {
    await request(`/app/members/${person.id}`, { method: 'DELETE', workspace })
    // First, or the start would lead back to where the person no longer is.
    await client.invalidateQueries(session_query)
    await navigate({ to: '/' })
  }
  return (
    <Card title="Leave workspace">
      <Text c="dimmed" mb="md">
        You lose access until someone invites you again. The last owner can’t leave.
      </Text>
      <Button variant="default" onClick={() => setAsking(true)}>
        Leave workspace
      </Button>
      <Ask
        is_open={is_asking}
        title="Leave this workspace?"
        answer="Leave workspace"
        onClose={() => setAsking(false)}
        onYes={leave}
      >
        You’ll need a new invitation to come back.
      </Ask>
    </Card>
  )
}
