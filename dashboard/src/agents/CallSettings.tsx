import { NumberInput, Select, Switch, Textarea } from '@mantine/core'
import { formErrors } from '../kit/error-messages.ts'
import styles from './agents.module.css'
import type { DraftValues } from './draft.ts'
import { SpeechFields } from './SpeechFields.tsx'
import { TransferFields } from './TransferFields.tsx'
import type { Draft } from './useDraft.ts'

const default_voice = ''
const voices: { value: NonNullable<DraftValues['voice']>; label: string }[] = [
  { value: 'slt', label: 'Female (slt)' },
  { value: 'rms', label: 'Male (rms)' },
  { value: 'awb', label: 'Male, Scottish accent (awb)' },
  { value: 'kal', label: 'Male, robotic (kal)' },
  { value: 'kal16', label: 'Male, robotic, clearer (kal16)' },
]
const fields = ['voicemail_message', 'recording', 'voice', 'transfers', 'limits']
const seconds_per_minute = 60

/** What applies to calls only. */
export function CallSettings({ draft, is_read_only }: { draft: Draft; is_read_only: boolean }) {
  const { values, change, error } = draft
  const { recording, limits } = values
  const errors = error ? formErrors(error, fields).fields : {}
  return (
    <>
      <h2 className={styles.partTitle}>Calls</h2>
      <Textarea
        label="Voicemail message"
        description="What the agent says after the beep. Leave blank to hang up."
        autosize
        maxRows={6}
        value={values.voicemail_message}
        error={errors.voicemail_message}
        onChange={({ currentTarget }) => change({ voicemail_message: currentTarget.value })}
      />
      <Switch
        label="Record calls"
        checked={recording.is_on}
        error={recording.is_on ? undefined : errors.recording}
        onChange={({ currentTarget }) => change({ recording: { ...recording, is_on: currentTarget.checked } })}
      />
      {recording.is_on && (
        <Textarea
          label="Recording notice"
          description="What the agent says about the recording at the start of a call. Calls over a carrier are recorded only with a notice."
          autosize
          maxRows={6}
          value={recording.notice ?? ''}
          error={errors.recording}
          onChange={({ currentTarget }) => change({ recording: { ...recording, notice: currentTarget.value || null } })}
        />
      )}
      <Select
        label="Voice"
        description="In recordings of simulated calls, and with offline speech."
        data={[{ value: default_voice, label: 'Default voice' }, ...voices]}
        value={values.voice ?? default_voice}
        allowDeselect={false}
        disabled={is_read_only}
        error={errors.voice}
        onChange={(chosen) => change({ voice: voices.find(({ value }) => value === chosen)?.value ?? null })}
      />
      <SpeechFields draft={draft} is_read_only={is_read_only} />
      <TransferFields draft={draft} error={errors.transfers} />
      <NumberInput
        label="Longest call"
        description="In minutes, up to 120. The call ends after that."
        suffix=" min"
        clampBehavior="none"
        hideControls
        value={limits.call_seconds_max / seconds_per_minute}
        error={errors.limits}
        onChange={(minutes) => {
          if (typeof minutes !== 'number') return
          change({ limits: { ...limits, call_seconds_max: Math.round(minutes * seconds_per_minute) } })
        }}
      />
    </>
  )
}
