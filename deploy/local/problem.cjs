'use strict';

/** An error that the user can fix. It is printed without a stack trace. */
class Problem extends Error {}

module.exports = { Problem };
