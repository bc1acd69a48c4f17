import { useLocalStorage } from '@mantine/hooks'

const volume = 0.15
const notes_hz = [660, 880]
const note_s = 0.14

/** Whether this browser plays a sound when a conversation is handed over. */
export const useIsSoundOn = () =>
  useLocalStorage({ key: 'parley.inbox_sound', defaultValue: true, getInitialValueInEffect: false })

/** Plays a tone. Browsers stay silent until the person has used the page. */
export function playTone(): void {
  try {
    play(new AudioContext())
  } catch {
    // The page must work without a sound device.
  }
}

function play(audio: AudioContext): void {
  const gain = audio.createGain()
  gain.gain.value = volume
  gain.connect(audio.destination)
  for (const [index, frequency] of notes_hz.entries()) {
    const note = audio.createOscillator()
    note.frequency.value = frequency
    note.connect(gain)
    note.start(audio.currentTime + index * note_s)
    note.stop(audio.currentTime + (index + 1) * note_s)
    if (index === notes_hz.length - 1) note.onended = () => void audio.close()
  }
}
