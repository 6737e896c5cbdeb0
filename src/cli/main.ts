declare const BABELQ_VERSION: string;
process.stdout.write(`${BABELQ_VERSION}\n`);
