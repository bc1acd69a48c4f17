import { Anchor, TextInput, type TextInputProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceId } from './api.ts'
import { cleanPhoneNumber, isPhoneNumber, useToPhoneNumber } from './phone-number.ts'
import { useIsOwner, useMembership } from './session.ts'

interface PhoneFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value?: string
  onChange: (text: string) => void
}

/** A field for a phone number, as people type it. When they leave the field, it shows how it was understood. */
export function PhoneField({ value = '', onChange, onBlur, error, ...props }: PhoneFieldProps) {
  const toPhoneNumber = useToPhoneNumber()
  const has_country = useMembership()?.default_country !== null
  const is_national = /^\d/.test(cleanPhoneNumber(value))
  const show = async (field: HTMLInputElement) => {
    const understood = await toPhoneNumber(value)
    // Text that was not understood, or was typed meanwhile, stays.
    if (isPhoneNumber(understood) && understood !== value && field.value === value) onChange(understood)
  }
  return (
    <TextInput
      {...props}
      type="tel"
      placeholder="+1 415 555 0123"
      value={value}
      error={error && is_national && !has_country ? <CountryError>{error}</CountryError> : error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={(event) => {
        onBlur?.(event)
        void show(event.currentTarget)
      }}
    />
  )
}

/** Explains an error: a number without a country code is understood if the workspace has a default country. */
function CountryError({ children }: { children: ReactNode }) {
  const workspace = useWorkspaceId()
  if (!useIsOwner()) return <>{children}. An owner can set a default country in Settings.</>
  return (
    <>
      {children}, or{' '}
      <Anchor
        fz="inherit"
        underline="always"
        renderRoot={(props) => <Link to="/w/$workspace/settings/workspace" params={{ workspace }} {...props} />}
      >
        set a default country
      </Anchor>
      .
    </>
  )
}
