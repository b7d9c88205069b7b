// course.js - the lessons, which build.py makes of the course: one is read at a time, and the views that belong to it
// stand in its text; on a wide screen beside it, the one that belongs to what is read

const course = views.course = {
    article: null, // the lesson that is read
    views: [],     // those that have a place in a lesson
    wide: matchMedia("(min-width: 1400px)"),

    listen() {
        this.article = element("course").querySelector("article");
        this.views = [...new Set(Array.from(document.querySelectorAll(".demo"), place => place.dataset.view))];
        for (const name of this.views) { // each has a link to its lesson, or out of it
            const link = Object.assign(document.createElement("a"), {className: "hop"});
            element(name).querySelector("h2, h1").append(" ", link);
        }
        this.wide.addEventListener("change", () => this.takeViews(view === "course"));
    },

    show() {
        for (const article of element("course").querySelectorAll("article")) article.hidden = article !== this.article;
        for (const link of element("lessons").children) {
            if (link.hash.slice(1) === this.article.id) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        for (const name of this.placed()) views[name].show();
    },

    // Returns whether the address is in the course, and opens what it names: a lesson, or a program, which is unfolded.
    open(name) {
        const place = document.getElementById(name), article = views[name] ? null : place?.closest("#course article");
        if (article) this.article = article;
        if (place?.matches("details")) place.open = true;
        return Boolean(article) || name === "course";
    },

    scrollTo(name) {
        const place = document.getElementById(name);
        if (place?.matches("details")) place.scrollIntoView({block: "nearest"});
        else window.scrollTo(0, 0);
    },

    // The views in the text of this lesson.
    placed() {
        return Array.from(this.article.querySelectorAll(".demo"), place => place.dataset.view);
    },

    // The place in the text that is read now: the last one that has come up far enough, or the first.
    current() {
        const places = Array.from(this.article.querySelectorAll(".demo"));
        const read = places.findLast(place => place.getBoundingClientRect().top < 0.7 * window.innerHeight);
        return (read ?? places[0])?.dataset.view;
    },

    // Those of them that are on the screen: only these move.
    seen() {
        if (this.wide.matches) {
            const current = this.current();
            for (const name of this.placed()) element(name).hidden = name !== current;
            return current ? [current] : [];
        }
        return this.placed().filter(name => {
            const {top, bottom} = element(name).getBoundingClientRect();
            return bottom > 0 && top < window.innerHeight;
        });
    },

    // A view is in the lesson that is read or, with a tab of its own, alone. It has one element, which goes there.
    takeViews(isRead) {
        for (const name of this.views) {
            const place = isRead ? this.article.querySelector(`.demo[data-view=${name}]`) : null;
            const inside = place && this.wide.matches ? this.article.querySelector(".stage") : place;
            const node = element(name), link = node.querySelector(".hop");
            const home = inside ?? document.querySelector("main");
            const lesson = document.querySelector(`.demo[data-view=${name}]`).closest("article");
            if (node.parentElement !== home) home.append(node);
            node.setAttribute("role", inside ? "group" : "tabpanel");
            if (inside) node.hidden = false;
            link.textContent = inside ? "alone" : lesson.querySelector("h1").textContent;
            link.href = "#" + (inside ? name : lesson.id);
        }
    },
};
