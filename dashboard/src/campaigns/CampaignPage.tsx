import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../kit/api.ts'
import { Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { Board } from './Board.tsx'
import { CampaignActions } from './CampaignActions.tsx'
import { CampaignSettings } from './CampaignSettings.tsx'
import { campaignQuery } from './campaign.ts'
import { Enrollments } from './Enrollments.tsx'
import { Review } from './Review.tsx'

/** A draft is reviewed here, and after its start the board shows how it goes. */
export function CampaignPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/campaigns/$id' })
  const { data: campaign, error, refetch } = useQuery(campaignQuery(api, id))
  const has_failed = error !== null && !campaign
  return (
    <Page title={campaign?.name ?? 'Campaign'} actions={campaign && <CampaignActions campaign={campaign} />}>
      {has_failed && <LoadError error={error} retry={refetch} noun="Campaign" />}
      {!campaign && !error && <LoadingSkeleton lines={7} />}
      {campaign && (
        <Stack>
          {campaign.status === 'draft' ? <Review campaign={campaign} /> : <Board campaign={campaign} />}
          <Enrollments campaign={campaign} />
          <CampaignSettings campaign={campaign} />
        </Stack>
      )}
    </Page>
  )
}
