/**
 * The errors of a single test or conversation. They say nothing about models, so the tests after it are tried all the
 * same.
 */
export const own_errors = {
  internal: 'It could not be played because of an internal error.',
  too_much_work: 'The phrases and patterns of this test are too much work: use fewer or smaller ones.',
  gone: 'The conversation was deleted or redacted.',
  gone_meanwhile: 'The conversation or its contact was deleted or redacted meanwhile.',
}
