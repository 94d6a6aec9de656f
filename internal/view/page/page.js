// What the page does beside being read: it follows the session, opens files and comments in place, and has keys.
// Without it every link and form leads to a page that does the same.
"use strict";

const live = document.getElementById("live");
const gone = document.getElementById("gone");
const of = document.body.dataset.of;

// Parts of the page come from its own templates, as text that is escaped there.
function part(html) {
	const box = document.createElement("template");
	box.innerHTML = html;
	return box.content;
}

function tell(text) {
	gone.textContent = text;
	gone.hidden = !text;
}

let first = "";
function follow() {
	if (!live || !window.EventSource) return;
	const events = new EventSource("events?id=" + encodeURIComponent(of));
	events.addEventListener("live", e => {
		tell("");
		const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
		if (String(document.getSelection()) && live.contains(document.getSelection().anchorNode)) return;
		live.replaceChildren(part(e.data));
		if (focused) {
			const again = [...live.querySelectorAll("a")].find(a => a.getAttribute("href") === focused);
			if (again) again.focus();
		}
	});
	events.addEventListener("state", e => {
		const news = document.getElementById("news");
		const [status, turn, drafts] = e.data.split(" ");
		if (first && first !== status + turn && news) news.hidden = false;
		first = first || status + turn;
		count(Number(drafts));
	});
	events.addEventListener("fault", e => tell("The page is not up to date: " + e.data));
	events.onerror = () => tell("Not connected. The page shows the state of " + new Date().toLocaleTimeString() +
		". If delegate review --web has ended, start it again.");
}

function count(n) {
	const drafts = document.getElementById("drafts");
	if (drafts) drafts.textContent = n === 0 ? "Send" : n === 1 ? "Send 1 comment" : "Send " + n + " comments";
}

// load fills in what is asked for only now: files when they are opened, conflicts when they come into view.
async function load(box) {
	const from = box.dataset.load;
	if (!from) return;
	delete box.dataset.load;
	try {
		const answer = await fetch(from);
		const text = await answer.text();
		if (!answer.ok) throw new Error(text);
		const content = part(text);
		if (box.tagName === "DETAILS") {
			const fresh = content.firstElementChild;
			fresh.open = true;
			box.replaceWith(fresh);
		} else {
			box.replaceChildren(content);
		}
	} catch (err) {
		box.dataset.load = from;
		tell("The page could not load this: " + err.message);
	}
}

document.addEventListener("toggle", e => {
	if (e.target.tagName === "DETAILS" && e.target.open) load(e.target);
}, true);

const later = new IntersectionObserver(all => all.forEach(one => {
	if (one.isIntersecting) {
		later.unobserve(one.target);
		load(one.target);
	}
}));
document.querySelectorAll("div[data-load]").forEach(box => later.observe(box));

// A form that is about one file is sent by itself, and the file comes anew.
document.addEventListener("submit", async e => {
	const form = e.target, where = form.dataset.part;
	if (form.classList.contains("at")) {
		e.preventDefault();
		write(e.submitter, form);
		return;
	}
	if (!where) return;
	e.preventDefault();
	const data = new URLSearchParams(new FormData(form, e.submitter));
	data.set("part", "1");
	try {
		const answer = await fetch(form.action, {method: "POST", body: data});
		const text = await answer.text();
		if (!answer.ok) throw new Error(text);
		const old = document.getElementById(where), fresh = part(text).firstElementChild;
		old.replaceWith(fresh);
		tell("");
		if (data.get("version")) { // what was viewed is folded, and the next one is read
			go(fresh, files(), 1);
			return;
		}
		const focus = data.get("line") ? fresh.querySelector("button[value='" + data.get("line") + "']") : null;
		(focus || fresh.querySelector("summary")).focus({preventScroll: true});
	} catch (err) {
		tell("Not saved: " + err.message);
	}
});

// write opens the form for a comment below a line, or closes it.
async function write(button, form) {
	const key = button.value, file = form.closest("details");
	const open = file.querySelector("form.write");
	if (open && open.querySelector("textarea").value.trim()) {
		open.querySelector("textarea").focus();
		return;
	}
	if (open) open.remove();
	if (open && open.dataset.line === key) return;
	const made = document.createElement("form");
	made.className = "write";
	made.method = "post";
	made.action = "comment";
	made.dataset.part = file.id;
	made.dataset.line = key;
	const tools = file.querySelector("form.tools");
	for (const field of tools.querySelectorAll("input[type=hidden]")) made.append(field.cloneNode());
	const hidden = (name, value) => {
		const field = document.createElement("input");
		field.type = "hidden";
		field.name = name;
		field.value = value;
		made.append(field);
	};
	hidden("line", key);
	hidden("content", file.dataset.content);
	const label = document.createElement("label"), text = document.createElement("textarea");
	label.append(button.getAttribute("aria-label"), text);
	text.name = "text";
	text.rows = 3;
	text.required = true;
	const keep = document.createElement("button"), leave = document.createElement("button"), row = document.createElement("p");
	keep.textContent = "Save draft";
	leave.textContent = "Cancel";
	leave.type = "button";
	leave.className = "second";
	leave.addEventListener("click", () => { made.remove(); button.focus(); });
	row.append(keep, " ", leave);
	made.append(label, row);
	(button.closest(".twin") || button.closest(".diff > div")).after(made);
	text.focus();
}

// The file that the keys are about: the one with the focus, or the first on the screen.
function files() { return [...document.querySelectorAll("details.file")]; }

function here() {
	const focused = document.activeElement.closest("details.file");
	return focused || files().find(f => f.getBoundingClientRect().bottom > 120);
}

function go(from, all, step) {
	const at = all.indexOf(from) + step;
	const next = all[Math.max(0, Math.min(all.length - 1, at))];
	if (next) {
		const mark = next.matches("details") ? next.querySelector("summary") : next.querySelector("button") || next;
		mark.focus({preventScroll: true});
		next.scrollIntoView({block: "start"});
	}
}

// The first lines of changes, in the files that are open.
function changes() {
	return [...document.querySelectorAll("details[open] .diff > div, details[open] .twin")].filter(row => {
		const is = r => r && !r.matches(".w") && (r.matches(".n, .o") || r.querySelector(":scope > .n, :scope > .o"));
		return is(row) && !is(row.previousElementSibling);
	});
}

document.addEventListener("keydown", e => {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	const typing = e.target.matches("input, textarea");
	if (e.key === "Escape" && typing) {
		const form = e.target.closest("form.write");
		e.target.blur();
		if (form && !form.querySelector("textarea").value.trim()) form.remove();
		return;
	}
	if (typing) return;
	const file = here();
	const keys = {
		j: () => go(document.activeElement.closest("details.file"), files(), 1),
		k: () => go(file, files(), -1),
		n: () => step(1),
		p: () => step(-1),
		v: () => { const view = file && file.querySelector("button.view"); if (view) view.click(); },
		s: () => { const link = document.getElementById("toggle"); if (link) link.click(); },
		g: () => { location.href = "./"; },
		"/": () => { const box = document.getElementById("search"); if (box) box.focus(); },
		"?": () => document.getElementById("help").showModal(),
	};
	if (keys[e.key]) {
		e.preventDefault();
		keys[e.key]();
	}
});

function step(by) {
	const all = changes(), at = document.activeElement.closest(".diff > div");
	let from = all.indexOf(at);
	if (from < 0) {
		from = all.findIndex(row => row.getBoundingClientRect().top > 100);
		from = by > 0 ? from - 1 : from;
	}
	go(all[from], all, by);
}

const help = document.getElementById("help-button");
help.hidden = false;
help.addEventListener("click", () => document.getElementById("help").showModal());
follow();
