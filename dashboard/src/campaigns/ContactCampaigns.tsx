import { Anchor, Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Enrollment } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { rowsOf } from '../kit/merged-lists.ts'
import { Card } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { EnrollmentStatus } from './CampaignStatus.tsx'
import { campaignQuery, contactEnrollmentsQuery, reasonName } from './campaign.ts'
import styles from './campaigns.module.css'

/** Lists the campaigns that a contact is in. */
export function ContactCampaigns({ contact_id }: { contact_id: string }) {
  const api = useApi()
  const list = useInfiniteQuery(contactEnrollmentsQuery(api, contact_id))
  const enrollments = rowsOf(list)
  return (
    <Card title="Campaigns">
      {list.error && !list.data && <LoadError error={list.error} retry={list.refetch} />}
      {list.isPending && <LoadingSkeleton lines={2} />}
      {list.data && enrollments.length === 0 && <p className={styles.hint}>Not in a campaign</p>}
      {enrollments.length > 0 && (
        <ul className={styles.attempts} aria-label="Campaigns">
          {enrollments.map((enrollment) => (
            <Row key={enrollment.id} enrollment={enrollment} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button variant="subtle" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Card>
  )
}

function Row({ enrollment: { id, campaign_id, status, reason } }: { enrollment: Enrollment }) {
  const api = useApi()
  const { data } = useQuery(campaignQuery(api, campaign_id))
  const params = { workspace: api.workspace, id: campaign_id }
  return (
    <li>
      <Anchor
        renderRoot={(props) => (
          <Link to="/w/$workspace/campaigns/$id/contacts" params={params} search={{ enrollment: id }} {...props} />
        )}
      >
        {data?.name ?? 'Campaign'}
      </Anchor>
      <EnrollmentStatus status={status} />
      {reason && <span className={styles.hint}>{reasonName(reason)}</span>}
    </li>
  )
}
