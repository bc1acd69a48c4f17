import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { Stack } from '../kit/Page.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { AudienceFields } from './AudienceFields.tsx'
import { audienceQuery, enroll, everyone, isEveryone } from './audience.ts'
import { campaignsKey } from './campaign.ts'
import { enrollingQuery } from './Enrolling.tsx'

export function AddContactsForm({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const [audience, setAudience] = useState(everyone)
  const setSaved = useUnsaved(!isEveryone(audience))
  const adding = useMutation({
    mutationFn: () => enroll(api, campaign.id, audience),
    onSuccess: async ({ enrolled, already_enrolled }) => {
      setSaved()
      onClose()
      const total = client.getQueryData(audienceQuery(api, audience).queryKey)?.pagination.total ?? 0
      const known = already_enrolled > 0 ? ` ${formatCount(already_enrolled, 'contact')} had been added before.` : ''
      // Large audiences are added in the background, so some contacts are still to come.
      if (total > enrolled + already_enrolled) {
        const expected = campaign.counts.enrolled + total - already_enrolled
        client.setQueryData(enrollingQuery(api, campaign).queryKey, expected)
        showToast(`Adding ${formatCount(total, 'contact')}.`)
      } else showToast(`${formatCount(enrolled, 'contact')} added.${known}`)
      await client.invalidateQueries({ queryKey: campaignsKey(api) })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {adding.error && <ErrorAlert>{errorMessage(adding.error)}</ErrorAlert>}
        <AudienceFields audience={audience} onChange={setAudience} />
        <FormButtons label="Add contacts" is_pending={adding.isPending} onCancel={onClose} />
      </Stack>
    </form>
  )
}
