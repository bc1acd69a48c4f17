import { Group, Radio } from '@mantine/core'
import type { Kind } from '../../../server/consent/schema.ts'
import { kind_names, kinds } from './consent.ts'

/** Chooses whether something holds for messages, calls or both. */
export function KindChoice({ value, onChange }: { value: Kind; onChange: (kind: Kind) => void }) {
  return (
    <Radio.Group label="Applies to" value={value} onChange={(chosen) => onChange(chosen as Kind)}>
      <Group mt={8} gap="lg">
        {kinds.map((kind) => (
          <Radio key={kind} value={kind} label={kind_names[kind]} />
        ))}
      </Group>
    </Radio.Group>
  )
}
