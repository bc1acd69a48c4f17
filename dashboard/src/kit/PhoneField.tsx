import { TextInput, type TextInputProps } from '@mantine/core'
import { useToPhoneNumber } from './phone-number.ts'

interface PhoneFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value?: string
  onChange: (text: string) => void
}

/** A phone number, as people type it. When they leave the field, it shows how it was understood. */
export function PhoneField({ value = '', onChange, onBlur, ...props }: PhoneFieldProps) {
  const toPhoneNumber = useToPhoneNumber()
  const show = async (field: HTMLInputElement) => {
    const understood = await toPhoneNumber(value)
    // What was typed meanwhile stays.
    if (understood !== value && field.value === value) onChange(understood)
  }
  return (
    <TextInput
      {...props}
      type="tel"
      placeholder="+1 415 555 0123"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={(event) => {
        onBlur?.(event)
        void show(event.currentTarget)
      }}
    />
  )
}
