import { Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Consent, Kind } from '../../../server/consent/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { Stack } from '../kit/Page.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { consentsQuery } from './consent.ts'
import { KindChoice } from './KindChoice.tsx'

const note_length_max = 500

interface RecordConsentFormProps {
  contact_id: string
  status: Consent['status']
  onClose: () => void
}

/** Entries are never changed or deleted, so the form says what one does. */
export function RecordConsentForm({ contact_id, status, onClose }: RecordConsentFormProps) {
  const api = useApi()
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>('all')
  const [note, setNote] = useState('')
  const is_opt_out = status === 'revoked'
  const setSaved = useUnsaved(note !== '')
  const close = () => {
    setSaved()
    onClose()
  }
  const recording = useMutation({
    mutationFn: () => {
      const evidence = note.trim() === '' ? {} : { evidence: { note: note.trim() } }
      return api.send('POST', `/contacts/${contact_id}/consents`, { kind, status, ...evidence })
    },
    onSuccess: async () => {
      close()
      showToast(is_opt_out ? 'Opt-out recorded.' : 'Consent recorded.')
      await client.invalidateQueries({ queryKey: consentsQuery(api, contact_id).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    recording.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {recording.error && <ErrorAlert>{errorMessage(recording.error)}</ErrorAlert>}
        <Text>
          {is_opt_out
            ? 'Agents won’t contact this number until you record consent or the person texts START.'
            : 'Record consent only if the person has given it. It ends an earlier opt-out.'}
        </Text>
        <KindChoice value={kind} onChange={setKind} />
        <Textarea
          label="Note"
          description="How you know, such as “Asked by email”. It is kept even after the contact is deleted, so don’t write names or numbers."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={note_length_max}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          data-autofocus
        />
        <FormButtons
          label={is_opt_out ? 'Record opt-out' : 'Record consent'}
          is_pending={recording.isPending}
          onCancel={close}
        />
      </Stack>
    </form>
  )
}
