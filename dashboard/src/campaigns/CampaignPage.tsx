import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { Page } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { Tabs } from '../kit/Tabs.tsx'
import { CampaignActions } from './CampaignActions.tsx'
import { CampaignSettings } from './CampaignSettings.tsx'
import { CampaignStatus } from './CampaignStatus.tsx'
import { ChannelAlert } from './ChannelAlert.tsx'
import { campaignQuery } from './campaign.ts'
import { Enrolling } from './Enrolling.tsx'
import { Enrollments } from './Enrollments.tsx'
import { Overview } from './Overview.tsx'
import { Review } from './Review.tsx'

const tabs = [
  { to: '/w/$workspace/campaigns/$id', name: 'Overview' },
  { to: '/w/$workspace/campaigns/$id/contacts', name: 'Contacts' },
  { to: '/w/$workspace/campaigns/$id/settings', name: 'Settings' },
] as const

/** Reviews a draft. After its start, the page shows how the campaign goes. */
export const CampaignPage = () => (
  <CampaignTab>
    {(campaign) => (campaign.status === 'draft' ? <Review campaign={campaign} /> : <Overview campaign={campaign} />)}
  </CampaignTab>
)

export const CampaignContactsPage = () => <CampaignTab>{(campaign) => <Enrollments campaign={campaign} />}</CampaignTab>

export const CampaignSettingsPage = () => (
  <CampaignTab>{(campaign) => <CampaignSettings campaign={campaign} />}</CampaignTab>
)

function CampaignTab({ children }: { children: (campaign: Campaign) => ReactNode }) {
  const { id = '' } = useParams({ strict: false })
  const { data: campaign, error, refetch } = useQuery(campaignQuery(useApi(), id))
  return (
    <Page
      title={campaign?.name ?? 'Campaign'}
      description={campaign && <CampaignStatus {...campaign} />}
      actions={campaign && <CampaignActions campaign={campaign} />}
      tabs={campaign && <Tabs label="Campaign" tabs={tabs} />}
    >
      {campaign && (
        <>
          <Enrolling campaign={campaign} />
          <ChannelAlert campaign={campaign} />
          {children(campaign)}
        </>
      )}
      {!campaign &&
        (error ? <LoadError error={error} retry={refetch} noun="Campaign" /> : <LoadingSkeleton lines={7} />)}
    </Page>
  )
}
