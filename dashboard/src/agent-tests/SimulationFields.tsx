import { NumberInput, SegmentedControl, Select, Textarea } from '@mantine/core'
import { simulated_people } from '../calls/people.ts'
import styles from './agent-tests.module.css'
import { BeginsField } from './ConversationFields.tsx'
import { errorAt, type TestFormProps, type TestValues } from './test-values.ts'

const media = [
  { value: 'text', label: 'By text' },
  { value: 'voice', label: 'In a simulated call' },
]

/** Edits who talks to the agent until the end. */
export function SimulationFields(props: TestFormProps) {
  const { values, errors, is_read_only, onEdit } = props
  const set = (changed: Partial<TestValues>) => onEdit((latest) => ({ ...latest, ...changed }))
  return (
    <>
      <BeginsField values={values} is_read_only={is_read_only} onEdit={onEdit} />
      <SegmentedControl
        className={styles.alone}
        size="xs"
        aria-label="Who plays the contact"
        disabled={is_read_only}
        data={[
          { value: 'person', label: 'Simulated person' },
          { value: 'persona', label: 'Played by a model' },
        ]}
        value={values.played_by}
        // The values are the two choices.
        onChange={(played_by) => set({ played_by: played_by as TestValues['played_by'] })}
      />
      {values.played_by === 'person' ? (
        <div className={styles.pair}>
          <Select
            label="The contact is"
            data={simulated_people}
            value={values.person}
            allowDeselect={false}
            disabled={is_read_only}
            error={errorAt(errors, 'person')}
            onChange={(person) => person && set({ person })}
          />
          <Select
            label="Talks"
            data={media}
            value={values.medium}
            allowDeselect={false}
            disabled={is_read_only}
            error={errorAt(errors, 'medium')}
            onChange={(medium) => set({ medium: medium as TestValues['medium'] })}
          />
        </div>
      ) : (
        <Persona {...props} />
      )}
      <div className={styles.pair}>
        <NumberInput
          label="Most turns of the contact"
          min={1}
          allowDecimal={false}
          hideControls
          value={values.turns_max}
          error={errorAt(errors, 'turns_max')}
          onChange={(turns_max) => set({ turns_max })}
        />
        {values.played_by === 'person' && (
          <NumberInput
            label="Seed"
            description="Another number, other words. The same number gives the same result each time."
            min={0}
            allowDecimal={false}
            hideControls
            value={values.seed}
            error={errorAt(errors, 'person.seed')}
            onChange={(seed) => set({ seed })}
          />
        )}
      </div>
    </>
  )
}

const persona_fields = [
  { name: 'goal', label: 'The contact wants', placeholder: 'To book a visit on a Friday.' },
  { name: 'facts', label: 'The contact knows', placeholder: 'Free on Fridays after three. Has been here before.' },
  { name: 'style', label: 'The contact talks', placeholder: 'In a hurry, with short sentences.' },
] as const

function Persona({ values, errors, onEdit }: TestFormProps) {
  return (
    <>
      <p className={styles.explanation}>A model plays the contact, so the result may differ. Needs a model provider.</p>
      {persona_fields.map(({ name, label, placeholder }) => (
        <Textarea
          key={name}
          label={label}
          placeholder={placeholder}
          required={name === 'goal'}
          autosize
          maxRows={8}
          value={values.persona[name]}
          error={errorAt(errors, `persona.${name}`)}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget
            onEdit((latest) => ({ ...latest, persona: { ...latest.persona, [name]: value } }))
          }}
        />
      ))}
    </>
  )
}
