/** What SQS allows, by its documented quotas. */

/** Messages of a receive, and entries of a batch, at most. */
export const BATCH = 10;
/** While about so many messages of a queue are in flight SQS gives nothing more out; a long poll just comes back empty. */
export const MOST_IN_FLIGHT = 120_000;
/** How long a message may be kept hidden, counted from its receive: twelve hours. */
export const MOST_HIDDEN_SECONDS = 43_200;
/** VisibilityTimeout where a server leaves it out: SQS's default. */
export const DEFAULT_VISIBILITY_SECONDS = 30;

/** How babelq receives, whether it looks, holds or acts. */

/** A long poll asks all of SQS's servers, a short one only some. */
export const WAIT_SECONDS = 1;
/** How long a message that was received stays hidden where nobody extends it: after a crash it is visible by then. */
export const VISIBILITY_SECONDS = 60;
