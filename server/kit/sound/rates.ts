/** Samples a second of the sound that models hear. Telephones have half as many. */
export const heard_rate = 16_000
