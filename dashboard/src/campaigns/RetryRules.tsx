import { Button, CloseButton, NumberInput, Select, TextInput } from '@mantine/core'
import type { Form } from './AgentFields.tsx'
import { type AttemptOutcome, outcome_names, outcomes } from './campaign.ts'
import styles from './campaigns.module.css'
import { isWaits } from './waits.ts'

/** New rules offer these outcomes first, because people most likely want rules for them. */
const likely_outcomes: AttemptOutcome[] = ['no_answer', 'busy', 'voicemail']

/** Edits the rules that replace the defaults of some outcomes. */
export function RetryRules({ form }: { form: Form }) {
  const { retry } = form.values
  const unused = outcomes.filter((outcome) => !retry.some((rule) => rule.outcome === outcome))
  const next = likely_outcomes.find((outcome) => unused.includes(outcome)) ?? unused[0]
  const add = () => next && form.insertListItem('retry', { outcome: next, attempts_max: 2, waits: '24 h' })
  return (
    <div className={styles.form}>
      <p className={styles.hint}>
        Outcomes without a rule keep their defaults: no answer and busy are tried up to 3 times, a voicemail up to 2
        times, a rejected call once.
      </p>
      {retry.map((rule, index) => (
        <div key={rule.outcome} className={styles.rule}>
          <Select
            label="Outcome"
            data={outcomes
              .filter((outcome) => outcome === rule.outcome || unused.includes(outcome))
              .map((value) => ({ value, label: outcome_names[value] }))}
            allowDeselect={false}
            {...form.getInputProps(`retry.${index}.outcome`)}
          />
          <NumberInput
            label="Attempts"
            hideControls
            allowNegative={false}
            clampBehavior="none"
            {...form.getInputProps(`retry.${index}.attempts_max`)}
          />
          <TextInput
            label="Waits"
            placeholder="15 min, 2 h"
            {...form.getInputProps(`retry.${index}.waits`)}
            error={isWaits(rule.waits) ? undefined : 'Write waits such as 15 min, 2 h or 1 d.'}
          />
          <CloseButton
            aria-label={`Remove the rule for ${outcome_names[rule.outcome]}`}
            onClick={() => form.removeListItem('retry', index)}
          />
        </div>
      ))}
      <Button className={styles.left} variant="default" size="xs" onClick={add} disabled={next === undefined}>
        Add rule
      </Button>
    </div>
  )
}
