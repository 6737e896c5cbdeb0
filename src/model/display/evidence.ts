import type { Origin, RetryToBasis } from '../failure.ts';

/** What says where a retry goes, in words: `orders (SQS recorded that it came from there)`. */
export const TARGET_WORDS: Readonly<Record<RetryToBasis, string>> = {
  flag: 'as was asked',
  config: 'as redrive_to says in the configuration',
  journal: 'it was to go there when it was dismissed',
  source_arn: 'SQS recorded that it came from there',
  original_queue: 'its dead_letter record names it',
  policy: 'the only queue whose RedrivePolicy points here',
  name: "the dead-letter queue's name without its suffix",
  meta_queue: 'its meta names it',
};

/** Who set a message aside, in words. */
export const ORIGIN_WORDS: Readonly<Record<Origin, string>> = {
  sqs_native: "SQS, by the queue's RedrivePolicy",
  sqs_app: 'a BabelQueue app',
  jadpo: 'a jadpo app',
};
