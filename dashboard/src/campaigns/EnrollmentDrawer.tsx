import { Anchor, Button, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { Members } from '../conversations/Facts.tsx'
import { useContactName } from '../conversations/useContactName.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Drawer } from '../kit/Drawer.tsx'
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

export function EnrollmentDrawer({ campaign, id, onClose }: EnrollmentDrawerProps) {
  const api = useApi()
  const {
    data: enrollment,
    error,
    refetch,
  } = useQuery({
    ...enrollmentQuery(api, id ?? ''),
    enabled: id !== undefined,
  })
  return (
    <Drawer
      is_open={id !== undefined}
      label="Contact in the campaign"
      title={enrollment ? <ContactName {...enrollment} /> : 'Contact'}
      link={
        enrollment && (
          <Anchor
            fz="sm"
            renderRoot={(props) => (
              <Link
                to="/w/$workspace/contacts/$id"
                params={{ workspace: api.workspace, id: enrollment.contact_id }}
                {...props}
              />
            )}
          >
            Open contact
          </Anchor>
        )
      }
      onClose={onClose}
    >
      {!enrollment && (error ? <LoadError error={error} retry={refetch} noun="Contact" /> : <LoadingSkeleton />)}
      {enrollment && (
        <Stack key={enrollment.id}>
          <State enrollment={enrollment} />
          <ExplanationView campaign={campaign} enrollment={enrollment} />
          <Members title="Variables" members={enrollment.variables} />
          <Actions campaign={campaign} enrollment={enrollment} onClose={onClose} />
        </Stack>
      )}
    </Drawer>
  )
}

const ContactName = ({ contact_id }: Pick<Enrollment, 'contact_id'>) =>
  useContactName({ kind: 'voice', contact_id, counterpart: null })

function State({ enrollment: { status, reason, next_attempt_at } }: { enrollment: Enrollment }) {
  return (
    <div>
      <p className={styles.verdict}>
        <EnrollmentStatus status={status} />
        {reason && `: ${reasonName(reason).toLowerCase()}`}
      </p>
      {next_attempt_at && <p className={styles.hint}>Next attempt {formatTime(next_attempt_at)} at the earliest</p>}
    </div>
  )
}

interface ActionsProps {
  campaign: Campaign
  enrollment: Enrollment
  onClose: () => void
}

/** Shows what can be done with the enrollment. There is nothing while an attempt goes on. */
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
      showToast(verb === 'skip' ? 'Contact skipped.' : 'Contact will be tried again.')
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
        The contact leaves the campaign. Its calls and messages are kept.
      </ConfirmDialog>
    </Group>
  )
}
