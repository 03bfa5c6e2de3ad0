"""The studio: programs in the browser, written, run, rewound and shared."""
