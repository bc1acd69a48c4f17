import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../server/overview/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { PlusIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { useCanEdit, useMembership } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { DayChart } from './DayChart.tsx'
import { Figure, Sources } from './Figures.tsx'
import { GetStarted } from './GetStarted.tsx'
import styles from './home.module.css'
import { RecentEvents } from './RecentEvents.tsx'

export function HomePage() {
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
    <Page title={name} actions={can_edit && add}>
      {error ? (
        <Card>
          <LoadError error={error} retry={refetch} />
        </Card>
      ) : (
        <Stack>
          {data?.contacts.total === 0 && can_edit && <GetStarted />}
          <div className={styles.figures}>
            <Figure label="Contacts" value={data && formatNumber(data.contacts.total)} />
            <Figure label="New this week" value={data && formatNumber(data.contacts.new_this_week)} />
            <Sources counts={data?.contacts.by_source} />
          </div>
          <Card title="Contacts added by day (UTC)">
            <DayChart days={data?.added_by_day} />
          </Card>
          <Card title="Recent events">
            <RecentEvents events={data?.events} />
          </Card>
        </Stack>
      )}
    </Page>
  )
}
