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
const no_key = ''
const keys: { value: NonNullable<DraftValues['opt_out_key']>; label: string }[] = [
  ...(['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const).map((key) => ({ value: key, label: key })),
  { value: '*', label: '* (star)' },
  { value: '#', label: '# (hash)' },
]
const fields = ['voicemail_message', 'recording', 'voice', 'transfers', 'opt_out_key', 'limits']
const seconds_per_minute = 60

/** Edits what applies to calls only. */
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
      <Select
        label="Key to get no more calls"
        description="Whoever presses it in a call that this agent has made is never called or written to again."
        data={[{ value: no_key, label: 'No key' }, ...keys]}
        value={values.opt_out_key ?? no_key}
        allowDeselect={false}
        disabled={is_read_only}
        error={errors.opt_out_key}
        onChange={(chosen) => change({ opt_out_key: keys.find(({ value }) => value === chosen)?.value ?? null })}
      />
      {values.opt_out_key !== null && (
        <Switch
          label="Name the key in every call"
          description={`“To get no more calls, press ${values.opt_out_key}.” Otherwise the agent says this only where it can’t hear the language that it speaks.`}
          checked={values.opt_out_notice}
          onChange={({ currentTarget }) => change({ opt_out_notice: currentTarget.checked })}
        />
      )}
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
