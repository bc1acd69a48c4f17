import { Anchor, Button, Drawer, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { useContactName } from '../conversations/ContactName.tsx'
import { Members } from '../conversations/Facts.tsx'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formatTime } from '../kit/format.ts'
import { Stack } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { EnrollmentStatus } from './CampaignStatus.tsx'
import { campaignsKey, enrollmentQuery, isEnrollmentFinal, isFinal, reasonName } from './campaign.ts'
import styles from './campaigns.module.css'
import { ExplanationView } from './ExplanationView.tsx'

interface EnrollmentDrawerProps {
  campaign: Campaign
  id: string | undefined
  onClose: () => void
}

export const EnrollmentDrawer = ({ campaign, id, onClose }: EnrollmentDrawerProps) => (
  <Drawer.Root opened={id !== undefined} onClose={onClose} position="right" size={480} lockScroll={false} padding="lg">
    <Drawer.Overlay backgroundOpacity={0.25} />
    <Drawer.Content aria-label="Contact in the campaign">
      {id && <Content key={id} campaign={campaign} id={id} onClose={onClose} />}
    </Drawer.Content>
  </Drawer.Root>
)

function Content({ campaign, id, onClose }: EnrollmentDrawerProps & { id: string }) {
  const { data: enrollment, error, refetch } = useQuery(enrollmentQuery(useApi(), id))
  return (
    <>
      <Drawer.Header>
        <Drawer.Title>{enrollment ? <ContactName {...enrollment} /> : 'Contact'}</Drawer.Title>
        <Drawer.CloseButton aria-label="Close" />
      </Drawer.Header>
      <Drawer.Body>
        {!enrollment && (error ? <LoadError error={error} retry={refetch} noun="Contact" /> : <LoadingSkeleton />)}
        {enrollment && (
          <Stack>
            <State enrollment={enrollment} />
            <ExplanationView campaign={campaign} enrollment={enrollment} />
            <Members title="Variables" members={enrollment.variables} />
            <Actions campaign={campaign} enrollment={enrollment} onClose={onClose} />
          </Stack>
        )}
      </Drawer.Body>
    </>
  )
}

const ContactName = ({ contact_id }: Pick<Enrollment, 'contact_id'>) =>
  useContactName({ kind: 'voice', contact_id, counterpart: null })

function State({ enrollment }: { enrollment: Enrollment }) {
  const { workspace } = useApi()
  const { contact_id, status, reason, next_attempt_at } = enrollment
  return (
    <div>
      <p className={styles.verdict}>
        <EnrollmentStatus status={status} />
        {reason && `: ${reasonName(reason).toLowerCase()}`}
      </p>
      {next_attempt_at && <p className={styles.hint}>Next attempt {formatTime(next_attempt_at)} at the earliest</p>}
      <Anchor
        fz="sm"
        renderRoot={(props) => (
          <Link to="/w/$workspace/contacts/$id" params={{ workspace, id: contact_id }} {...props} />
        )}
      >
        Open contact
      </Anchor>
    </div>
  )
}

interface ActionsProps {
  campaign: Campaign
  enrollment: Enrollment
  onClose: () => void
}

/** Not while an attempt goes on. */
function Actions({ campaign, enrollment, onClose }: ActionsProps) {
  const api = useApi()
  const client = useQueryClient()
  const can_edit = useCanEdit()
  const [is_removing, setRemoving] = useState(false)
  const path = `/enrollments/${enrollment.id}`
  const refresh = () => client.invalidateQueries({ queryKey: campaignsKey(api) })
  const changing = useMutation({
    mutationFn: (verb: 'retry' | 'skip') => api.send<Enrollment>('POST', `${path}/${verb}`),
    onError: showError,
    onSuccess: async (changed, verb) => {
      client.setQueryData(enrollmentQuery(api, changed.id).queryKey, changed)
      showToast(verb === 'skip' ? 'Contact skipped.' : 'Contact is tried again.')
      await refresh()
    },
  })
  const remove = async () => {
    await api.send('DELETE', path)
    onClose()
    showToast('Contact removed.')
    await refresh()
  }
  const is_going_on = enrollment.status === 'dialing' || enrollment.status === 'in_progress'
  if (!can_edit || is_going_on) return null
  const is_final = isEnrollmentFinal(enrollment)
  return (
    <Group className={styles.foot}>
      {!is_final && (
        <Button variant="default" loading={changing.isPending} onClick={() => changing.mutate('skip')}>
          Skip
        </Button>
      )}
      {is_final && !isFinal(campaign) && (
        <Button variant="default" loading={changing.isPending} onClick={() => changing.mutate('retry')}>
          Try again
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ConfirmDialog
        is_open={is_removing}
        title="Remove this contact?"
        confirm_label="Remove contact"
        onClose={() => setRemoving(false)}
        onConfirm={remove}
      >
        The contact leaves the campaign. Its calls and messages stay.
      </ConfirmDialog>
    </Group>
  )
}
