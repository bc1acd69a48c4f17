import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../server/overview/schema.ts'
import { useApi } from '../kit/api.ts'
import { PlusIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { sayNumber } from '../kit/RelativeTime.tsx'
import { useCanEdit, useMembership } from '../kit/session.ts'
import { Failure } from '../kit/states.tsx'
import { DayChart } from './DayChart.tsx'
import { Figure, Sources } from './Figures.tsx'
import { NextSteps } from './GetStarted.tsx'
import styles from './home.module.css'
import { Events } from './RecentEvents.tsx'

export function Home() {
  const api = useApi()
  const { name = 'Home' } = useMembership() ?? {}
  const can_edit = useCanEdit()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'overview'],
    queryFn: ({ signal }) => api.get<Overview>('/overview', {}, signal),
  })
  const add = (
    <Button
      leftSection={<PlusIcon size={17} />}
      renderRoot={(props) => (
        <Link
          to="/w/$workspace/contacts"
          params={{ workspace: api.workspace }}
          search={{ contact: 'new' }}
          {...props}
        />
      )}
    >
      New contact
    </Button>
  )
  return (
    <Page title={name} about="Recent activity" actions={can_edit && add}>
      {error ? (
        <Card>
          <Failure error={error} retry={refetch} />
        </Card>
      ) : (
        <Stack>
          {data?.contacts.total === 0 && can_edit && <NextSteps />}
          <div className={styles.figures}>
            <Figure label="Contacts" value={data && sayNumber(data.contacts.total)} />
            <Figure label="New this week" value={data && sayNumber(data.contacts.new_this_week)} />
            <Sources counts={data?.contacts.by_source} />
          </div>
          <Card title="Contacts added by day">
            <DayChart days={data?.added_by_day} />
          </Card>
          <Card title="Recent events">
            <Events events={data?.events} />
          </Card>
        </Stack>
      )}
    </Page>
  )
}
