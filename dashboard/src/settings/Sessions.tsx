import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OpenSession } from '../../../server/people/schema.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { Card } from '../kit/Page.tsx'
import { Ago } from '../kit/RelativeTime.tsx'
import { type List, request } from '../kit/request.ts'
import { useEnter } from '../kit/session.ts'
import { Failure, Waiting } from '../kit/states.tsx'
import { tellProblem } from '../kit/toast.ts'
import { nameOfDevice } from './device.ts'
import styles from './settings.module.css'

/** Where the person is signed in. */
export function Sessions() {
  const enter = useEnter()
  const [is_asking, setAsking] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => request<List<OpenSession>>('/app/sessions', { signal }),
  })
  const sessions = data?.data
  const leaveAll = async () => {
    await request('/app/sessions', { method: 'DELETE' })
    enter(null)
  }
  return (
    <Card
      title="Sessions"
      aside={
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      {error && <Failure error={error} retry={refetch} />}
      {!sessions && !error && <Waiting lines={2} />}
      <ul className={styles.lines}>
        {sessions?.map((session) => (
          <SessionLine key={session.id} {...session} />
        ))}
      </ul>
      <Ask
        is_open={is_asking}
        title="Sign out everywhere?"
        answer="Sign out everywhere"
        onClose={() => setAsking(false)}
        onYes={leaveAll}
      >
        This signs you out on every device, including this one.
      </Ask>
    </Card>
  )
}

function SessionLine({ id, user_agent, last_used_at, is_current }: OpenSession) {
  const client = useQueryClient()
  const ending = useMutation({
    mutationFn: () => request(`/app/sessions/${id}`, { method: 'DELETE' }),
    onError: tellProblem,
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <li>
      <span>
        <strong>{nameOfDevice(user_agent)}</strong>{' '}
        <span className={styles.quiet}>
          Last used <Ago time={last_used_at} />
        </span>
      </span>
      {is_current ? (
        <Badge variant="light" tt="none">
          This device
        </Badge>
      ) : (
        <Button size="xs" variant="subtle" color="red" loading={ending.isPending} onClick={() => ending.mutate()}>
          Sign out
        </Button>
      )}
    </li>
  )
}
